import type { ShownMessage } from '../index.ts'

type Part = ShownMessage['parts'][number]

/** Source of an answer. */
export interface AnswerSource {
  readonly title: string
  /** `http`, `https` or `mailto`; other addresses are shown without a link. */
  readonly url?: string
}

/** A button below an answer that is complete. */
export interface AnswerAction {
  readonly label: string
  /** Called on a press. Errors go to the page's own error handling. */
  act(answer: ShownMessage): unknown
}

/** Additions of the page to the model's answers. */
export interface AnswerOptions {
  /** Texts to send by a press, below the newest answer once its run is completed. Asked once for each answer. */
  readonly followUps?: (answer: ShownMessage) => readonly string[] | Promise<readonly string[]>
  /** Sources of an answer, shown below it once it is complete. */
  readonly sources?: (answer: ShownMessage) => readonly AnswerSource[]
  readonly actions?: readonly AnswerAction[]
  /** Shows “Good response” and “Bad response” below each answer, for pages that listen to `offstage-feedback`. Default: false. */
  readonly feedback?: boolean
  /**
   * Renders a part of an answer instead of the chat, within its shadow root; null: the chat renders it. Called again
   * as the part is written.
   */
  readonly renderPart?: (part: Part, answer: ShownMessage) => Node | null
}
