import type { ShownMessage } from '../index.ts'

type Part = ShownMessage['parts'][number]

/** Where an answer has something from. */
export interface AnswerSource {
  readonly title: string
  /** `http`, `https` or `mailto`; what is none is shown without a link. */
  readonly url?: string
}

/** A button below an answer that is complete. */
export interface AnswerAction {
  readonly label: string
  /** Of a press. What it throws, the page's own error handling sees. */
  act(answer: ShownMessage): unknown
}

/** What a page adds to the answers of the model. */
export interface AnswerOptions {
  /** Texts to send by a press, below the newest answer once its run is completed. Asked once for each answer. */
  readonly followUps?: (answer: ShownMessage) => readonly string[] | Promise<readonly string[]>
  /** Where an answer has it from, shown below it once it is complete. */
  readonly sources?: (answer: ShownMessage) => readonly AnswerSource[]
  readonly actions?: readonly AnswerAction[]
  /** Shows “Good response” and “Bad response” below each answer, for pages that listen to `offstage-feedback`. Default: false. */
  readonly feedback?: boolean
  /**
   * Shows a part of an answer in place of the chat, within its shadow root; null: the chat shows it. Called again as the part
   * is written.
   */
  readonly renderPart?: (part: Part, answer: ShownMessage) => Node | null
}
