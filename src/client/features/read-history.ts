import type { Message } from '../../protocol/message.ts'
import { importHistory } from '../../providers/history/import-history.ts'

/** Converts earlier messages of any supported format to Offstage's own. Throws `invalid-history`, naming the message. */
export function readHistory(history: unknown): Message[] {
  return importHistory(history)
}
