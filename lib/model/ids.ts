import { hash } from 'node:crypto';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type ClaimId = Branded<'claim'>;
export type FactId = Branded<'fact'>;
export type EntityId = Branded<'entity'>;

const HEX = 32;
const shape = (letter: string): RegExp => new RegExp(`^${letter}_[0-9a-f]{${HEX}}$`);
const SHAPES = { c: shape('c'), f: shape('f'), e: shape('e') } as const;

/** 128 bits of SHA-256 in hexadecimal: equal content, equal id. */
export const contentHash = (content: string): string =>
  hash('sha256', content, 'hex').slice(0, HEX);

export const isClaimId = (text: unknown): text is ClaimId =>
  typeof text === 'string' && SHAPES.c.test(text);
export const isFactId = (text: unknown): text is FactId =>
  typeof text === 'string' && SHAPES.f.test(text);
export const isEntityId = (text: unknown): text is EntityId =>
  typeof text === 'string' && SHAPES.e.test(text);
