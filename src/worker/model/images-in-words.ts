import type { Message } from '../../protocol/message.ts'
import { modelFacts } from '../../providers/catalogue/model-facts.ts'
import { filesInWords } from '../../providers/sent-files.ts'

/** Replaces images with text if the model is known not to accept them. */
export function imagesInWords(messages: readonly Message[], model: string): readonly Message[] {
  if (modelFacts(model).vision !== false) return messages
  return filesInWords(messages, ({ mediaType }) => mediaType.startsWith('image/'))
}
