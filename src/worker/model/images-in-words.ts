import type { Message } from '../../protocol/message.ts'
import { modelFacts } from '../../providers/catalogue/model-facts.ts'
import { filesInWords } from '../../providers/sent-files.ts'

/** The messages with words in place of images, for a model that is known to take none. */
export function imagesInWords(messages: readonly Message[], model: string): readonly Message[] {
  if (modelFacts(model).vision !== false) return messages
  return filesInWords(messages, ({ mediaType }) => mediaType.startsWith('image/'))
}
