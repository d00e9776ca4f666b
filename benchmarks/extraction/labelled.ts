import { CHINESE } from './chinese.js';
import { ENGLISH } from './english.js';
import type { Dialogue } from './label.js';

/** The labelled dialogues, in English and in Chinese. Names and companies are made up. */
export const LABELLED: readonly Dialogue[] = [...ENGLISH, ...CHINESE];
