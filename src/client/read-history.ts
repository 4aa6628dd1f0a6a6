import type { Message } from '../protocol/message.ts'
import { importHistory } from '../providers/history/import-history.ts'

/** Earlier messages of any format as Offstage's own. Throws `invalid-history`, which names the message. */
export function readHistory(given: unknown): Message[] {
  return importHistory(given)
}
