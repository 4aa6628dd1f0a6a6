import { createThinkSplitter } from '../../action/think-splitter.ts'
import type { StreamPart } from '../../protocol/stream-part.ts'
import { STRAY_CLOSER, UNOPENED_REASONING } from '../unopened-reasoning.ts'

/** Splits a model's text where `<think>` tags stand in it. */
export interface InlineReasoning {
  push(text: string): StreamPart[]
  end(): StreamPart[]
  /** Reasoning comes in a field of its own: a stray closing tag makes no reasoning of the text. */
  stopLooking(): void
}

/**
 * The think splitter, and a look-out for closing tags that no opening tag precedes: some prompt
 * templates open the reasoning themselves. What was streamed as text before one was reasoning; a
 * warning marks that position.
 */
export function createInlineReasoning(): InlineReasoning {
  let hasField = false
  const splitter = createThinkSplitter({
    loneCloser: () => (hasField ? STRAY_CLOSER : UNOPENED_REASONING),
  })
  return {
    push: (text) => splitter.push(text),
    end: () => splitter.end(),
    stopLooking() {
      hasField = true
    },
  }
}
