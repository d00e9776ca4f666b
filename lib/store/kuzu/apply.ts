import type { ClaimRow } from '../rows.js';
import type { Batch } from './batch.js';
import type { GraphDatabase, Run } from './driver.js';
import type { Params } from './native.js';
import {
  claimRecord,
  entityOf,
  entityRecord,
  eventId,
  eventRecord,
  evidenceRecord,
  factRecord,
  isLiteral,
  supersessionRecord,
  valueId,
  valueRecord,
  type StoredFact,
} from './records.js';
import { assignments, CLAIM, FACT, FROM_EVENT, SUPERSEDES } from './schema.js';

/** One prepared statement a row; `UNWIND` with a `MATCH` by key would be a cross product. Each returns the row it wrote. */
const PUT_ENTITY = `MERGE (e:Entity {id: $id}) SET ${['scope', 'type', 'name', 'tx'].map((c) => `e.${c} = $${c}`).join(', ')} RETURN 1 AS one`;
const PUT_VALUE = `MERGE (v:Value {id: $id}) ON CREATE SET v.text = $text RETURN 1 AS one`;
const PUT_CLAIM = `CREATE (c:Claim {${assignments(CLAIM)}}) RETURN 1 AS one`;
const RECONSIDER = `MATCH (c:Claim {id: $id}) SET c.outs = $outs RETURN 1 AS one`;
const PUT_EVENT = `MERGE (e:Event {id: $id}) ON CREATE SET e.session = $session, e.seq = $seq, e.at = $at RETURN 1 AS one`;
const CITE = `MATCH (c:Claim {id: $claim}), (e:Event {id: $event}) CREATE (c)-[:FROM_EVENT {${assignments(FROM_EVENT)}}]->(e) RETURN 1 AS one`;
const PUT_FACT = `MATCH (s:Entity {id: $subject}) CREATE (s)-[:SUBJECT]->(f:Fact {${assignments(FACT)}}) RETURN 1 AS one`;
const PUT_FACT_OF_ENTITY = `MATCH (s:Entity {id: $subject}), (o:Entity {id: $to}) CREATE (s)-[:SUBJECT]->(f:Fact {${assignments(FACT)}})-[:OBJECT]->(o) RETURN 1 AS one`;
const PUT_FACT_OF_VALUE = `MATCH (s:Entity {id: $subject}), (o:Value {id: $to}) CREATE (s)-[:SUBJECT]->(f:Fact {${assignments(FACT)}})-[:HAS_VALUE]->(o) RETURN 1 AS one`;
const CLOSE_FACT = `MATCH (f:Fact {id: $id}) SET f.knownTo = $knownTo, f.knownToAt = $knownToAt, f.reason = $reason RETURN 1 AS one`;
const SUPERSEDE = `MATCH (a:Fact {id: $from}), (b:Fact {id: $to}) CREATE (a)-[:SUPERSEDES {${assignments(SUPERSEDES)}}]->(b) RETURN 1 AS one`;
const SUPPORT = `MATCH (f:Fact {id: $fact}), (c:Claim {id: $claim}) CREATE (f)-[:SUPPORTED_BY]->(c) RETURN 1 AS one`;
const SET_LAST_TX = `MATCH (m:Meta {id: 'graph'}) SET m.lastTx = $lastTx RETURN 1 AS one`;

/** Writes a batch in one transaction, which ends with the number it brings the graph to. */
export async function applyBatch(database: GraphDatabase, batch: Batch): Promise<void> {
  const facts = [...batch.opened.values()];
  checkText([...batch.entities.values()].map(entityRecord));
  checkText([...batch.claims.values(), ...batch.reconsidered.values()].map(claimRecord));
  checkText(facts.map(factRecord));
  await database.transaction(async (run) => {
    const put = once(run);
    for (const e of batch.entities.values()) await put(PUT_ENTITY, entityRecord(e));
    for (const c of batch.claims.values()) await putClaim(put, c);
    for (const c of batch.reconsidered.values())
      await put(RECONSIDER, { id: c.id, outs: claimRecord(c).outs });
    for (const object of new Set(facts.map(({ fact }) => fact.object))) {
      if (isLiteral(object)) await put(PUT_VALUE, valueRecord(object));
    }
    for (const fact of facts) await putFact(put, fact);
    for (const c of batch.closed.values()) {
      await put(CLOSE_FACT, {
        id: c.id,
        knownTo: c.knownTo,
        knownToAt: c.knownToAt,
        reason: c.reason,
      });
    }
    for (const s of batch.supersedes)
      await put(SUPERSEDE, { from: s.from, to: s.to, ...supersessionRecord(s) });
    for (const s of batch.supports) await put(SUPPORT, { fact: s.fact, claim: s.claim });
    await put(SET_LAST_TX, { lastTx: batch.lastTx });
  });
}

type Put = (text: string, params: Params) => Promise<void>;

/** A `MATCH` that finds nothing writes nothing and says nothing: here it is an error. */
const once =
  (run: Run): Put =>
  async (text, params) => {
    const rows = await run(text, params);
    if (rows.length !== 1)
      throw new Error(
        `${rows.length} rows instead of 1 for ${JSON.stringify(params).slice(0, 200)}`,
      );
  };

async function putClaim(put: Put, claim: ClaimRow): Promise<void> {
  await put(PUT_CLAIM, claimRecord(claim));
  for (const [n, evidence] of claim.evidence.entries()) {
    await put(PUT_EVENT, eventRecord(evidence));
    await put(CITE, { claim: claim.id, event: eventId(evidence), ...evidenceRecord(evidence, n) });
  }
}

async function putFact(put: Put, stored: StoredFact): Promise<void> {
  const record = factRecord(stored);
  const { object } = stored.fact;
  const entity = entityOf(object);
  if (entity !== null) await put(PUT_FACT_OF_ENTITY, { ...record, to: entity });
  else if (isLiteral(object)) await put(PUT_FACT_OF_VALUE, { ...record, to: valueId(object) });
  else await put(PUT_FACT, record);
}

/** Before the first write, because a transaction that fails half-way costs the database a reopening. */
function checkText(records: readonly Params[]): void {
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) {
      if (typeof value === 'string' && !value.isWellFormed())
        throw new Error(`half a surrogate pair in ${name}`);
    }
  }
}
