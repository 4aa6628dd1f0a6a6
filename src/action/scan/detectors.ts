import type { ForeignDetector } from '../foreign/foreign-detector.ts'
import type { BlockDetector } from '../pending-block.ts'
import type { QuotationTracker } from '../quotation-tracker.ts'

/** Detectors for the marks of a text. */
export interface Detectors {
  /** Recognises blocks. Undefined if they aren't expected. */
  readonly blocks?: BlockDetector
  /** Recognises calls in other formats. Undefined if they aren't expected. */
  readonly foreign?: ForeignDetector
  /** Tracks quotations, for native mode: calls count only outside of them (Q2). */
  readonly quotations?: QuotationTracker
}
