export { suggestName } from './suggest.ts'
export { createThinkSplitter } from './think-splitter.ts'
export type { ThinkSplitter, ThinkSplitterOptions } from './think-splitter.ts'
