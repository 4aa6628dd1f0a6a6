import type { ForeignDetector } from '../foreign/foreign-detector.ts'
import type { BlockDetector } from '../pending-block.ts'
import type { QuotationTracker } from '../quotation-tracker.ts'

/** What is looked for in a text, and where it counts. */
export interface Detectors {
  /** Recognises blocks; absent when there are none to look for. */
  readonly blocks?: BlockDetector
  /** Recognises calls in other formats; absent when there are none to look for. */
  readonly foreign?: ForeignDetector
  /** Follows quotations, for native mode: calls count only outside of them (Q2). */
  readonly quotations?: QuotationTracker
}
