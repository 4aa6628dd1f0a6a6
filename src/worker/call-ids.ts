import { callParts } from '../conversation/propose-call.ts'
import type { Row } from '../protocol/fact.ts'

/** The ids of all calls that a conversation ever had. The id of a cleared call is never reused. */
export class CallIds {
  readonly #ids = new Set<string>()

  has(toolCallId: string): boolean {
    return this.#ids.has(toolCallId)
  }

  take(row: Row): void {
    switch (row.type) {
      case 'model-output':
        for (const { toolCallId } of callParts(row.message)) this.#ids.add(toolCallId)
        return
      case 'messages-imported':
        for (const message of row.messages)
          if (message.role === 'assistant')
            for (const { toolCallId } of callParts(message)) this.#ids.add(toolCallId)
        return
      case 'call-proposed':
        this.#ids.add(row.path.at(-1) ?? '')
        return
      default:
        return
    }
  }
}
