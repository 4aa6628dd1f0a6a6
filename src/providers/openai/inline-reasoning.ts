import { createThinkSplitter } from '../../action/think-splitter.ts'
import type { StreamPart } from '../../protocol/message.ts'
import { STRAY_CLOSER, UNOPENED_REASONING } from '../unopened-reasoning.ts'

/** Splits a model's text at `<think>` tags. */
export interface InlineReasoning {
  push(text: string): StreamPart[]
  end(): StreamPart[]
  /** Called when reasoning comes in its own field: a stray closing tag then doesn't turn text into reasoning. */
  stopLooking(): void
}

/**
 * Splits at `<think>` tags, and also finds closing tags without an opening one: some prompt templates
 * open the reasoning themselves. The text before such a tag was reasoning; a warning marks the position.
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
