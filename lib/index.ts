export { openMemory, type OpenOptions } from './api/open.js';
export { Memory, type Health, type Stats } from './api/memory.js';
export {
  Handle,
  type AsOf,
  type EntityVerbs,
  type ForgetOptions,
  type ForgetSelector,
} from './api/handle.js';
export type {
  CorrectInput,
  EndInput,
  RetractInput,
  TransactionWrites,
  Writes,
} from './api/writes.js';
export {
  View,
  type ChangesInput,
  type EntityReads,
  type HistoryInput,
  type MomentInput,
  type NeighborsInput,
  type PathsInput,
  type Reads,
} from './api/view.js';
export type {
  AnswerStatus,
  AsOfRead,
  CutHit,
  DuringInput,
  EventHit,
  FactHit,
  Hit,
  HitSource,
  LegName,
  LegScores,
  RecallAnswer,
  RecallOptions,
  SearchAnswer,
  SearchOptions,
  Superseded,
  Trace,
  TracedHit,
  TracedTerm,
} from './recall/types.js';
export { Admin, type JournalTransaction } from './api/admin.js';
export type { ScopeCount } from './memory/read/scopes.js';
export type { ImportOptions, ImportReport } from './transfer/import.js';
export type { LineSource } from './transfer/lines.js';
export { Stream } from './api/stream.js';
export { inspectStore, type Finding, type InspectOptions, type StoreReport } from './api/doctor.js';
export { PalimpsestError, ERROR_CODES, type ErrorCode } from './model/errors.js';
export {
  defineOntology,
  entity,
  instant,
  type Age,
  type EntityObject,
  type InstantObject,
  type OntologyDefinition,
  type PredicateDefinition,
} from './model/ontology.js';
export type { Clock } from './model/clock.js';
export { formatInstant, type InstantInput, type Precision } from './model/instant.js';
export type { Scope } from './model/scope.js';
export type { ClaimId, EntityId, FactId } from './model/ids.js';
export type { ClaimRecord, EvidenceRecord, Origin, Role } from './model/entry.js';
export type { CloseReason, Supersession } from './belief/reasons.js';
export { defaultPolicy, type Candidate, type Policy, type Verdict } from './memory/policy.js';
export type { Entity } from './memory/read/entities.js';
export type { Neighbor, Neighborhood, Path } from './memory/read/neighbors.js';
export type {
  AssertInput,
  ChangeSet,
  Claim,
  ClaimOut,
  ClosedFact,
  EntityInput,
  EntityRef,
  EvidenceInput,
  Fact,
  FactSelector,
  History,
  InstantValue,
  JsonValue,
  KnownInput,
  NoEffect,
  ObjectInput,
  ObjectValue,
  ProposedClaim,
  TxStamp,
  Why,
  WriteOptions,
  WriteResult,
} from './memory/types.js';
export type { HeldClaim } from './govern/review.js';
export type { Receipt } from './govern/forget.js';
export type { GraphState } from './store/graph.js';
export type { GraphChoice } from './store/graph-projection.js';
export type { OnProgress, Progress } from './store/progress.js';
export {
  readSession,
  type ReadSessionOptions,
  type SessionSource,
} from './ingest/readers/index.js';
export {
  FORMATS,
  SKIP_REASONS,
  type EventMeta,
  type FormatName,
  type Reading,
  type SessionEvent,
  type SessionInfo,
} from './ingest/event.js';
export type { EventInput, IngestOptions } from './api/ingestion.js';
export type { EventSource, FoundEvent } from './ingest/source.js';
export {
  ExtractionError,
  type Extraction,
  type ExtractionRequest,
  type Extractor,
  type KnownFact,
  type KnownPredicate,
} from './ingest/extract/port.js';
export {
  openAiExtractor,
  type OpenAiExtractorOptions,
  type Price,
} from './ingest/extract/openai.js';
export { hostExtractor, type HostExtractorOptions } from './ingest/extract/host.js';
export {
  recordedExtractor,
  type RecordedAnswer,
  type RecordedCandidate,
} from './ingest/extract/recorded.js';
export type { ExtractedCandidate } from './ingest/candidate.js';
export type { Ingested, Job } from './api/job.js';
export { JOB_STATES, type JobReceipt, type Refusal, type Usage } from './ingest/job.js';
export type { IngestHealth } from './ingest/health.js';
export type { CuratorRun, CuratorSettings } from './ingest/curator.js';
export type { Reextraction } from './ingest/reextract.js';
export type {
  ComparedFact,
  Comparison,
  ErasedSnapshot,
  Fate,
  KeptSnapshot,
  Snapshot,
  SnapshotInfo,
} from './recall/snapshots/types.js';
export type { RecallSettings } from './api/recall.js';
export { EmbeddingError, type Embedder } from './recall/vectors/embedder.js';
export { englishEmbedder } from './recall/vectors/english.js';
export { openAiEmbedder, type OpenAiEmbedderOptions } from './recall/vectors/openai.js';
export type { Reembedding, VectorState, VectorStatus } from './recall/vectors/types.js';
export type {
  DroppedLine,
  Profile,
  ProfileLine,
  ProfileOptions,
  ProfileRequest,
  ProfileWriter,
} from './recall/profile/types.js';
