export { blackboard, type Blackboard, type BlackboardOptions, type Block } from './blackboard.ts'
export { documentMemory, type DocumentMemory } from './document-memory.ts'
export type {
  DescribedSource,
  DocumentMemoryOptions,
  DocumentPart,
  DocumentPlace,
  DocumentSource,
  FoundOptions,
  IndexedDocument,
  IndexOptions,
  IndexReport,
  SourcesChat,
} from './document-options.ts'
export {
  embeddingMemory,
  keywordMemory,
  recentMemory,
  type EmbeddingMemoryOptions,
} from './memory.ts'
export type { RememberedEntry } from './entry.ts'
export type { KeptMemoryOptions, Memory } from './memory.ts'
export type { MemoryOptions } from './options.ts'
export type { MemoryScope, Where } from './options.ts'
