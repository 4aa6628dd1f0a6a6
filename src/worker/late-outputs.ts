import type { SupplyOutput } from '../protocol/commands.ts'
import { OffstageError } from '../protocol/error.ts'
import type { WorkerNotice } from '../protocol/notices.ts'
import type { ActiveConversation } from './active-conversation.ts'
import { busy } from './busy.ts'
import type { Effects } from './effects.ts'
import type { FactDraft } from './store/fact-draft.ts'
import { lateOutputMessage } from './supply-output.ts'

/** Advice for an output whose call is in no stored conversation. */
const NOT_KEPT = 'name its conversation, if it is still stored, to keep it as a user message'

export interface LateOutputsOptions {
  readonly effects: Pick<Effects, 'newId'>
  readonly notify: (notice: WorkerNotice) => void
}

/** Handles outputs that no call waits for. */
export class LateOutputs {
  readonly #options: LateOutputsOptions

  constructor(options: LateOutputsOptions) {
    this.#options = options
  }

  /**
   * Keeps the output as a message, so that the model sees it at its next turn. Only warns if its conversation is
   * unknown (null).
   */
  async keep(active: ActiveConversation | null, command: SupplyOutput): Promise<void> {
    if (active === null || command.conversationId === undefined)
      return this.#warn(command, NOT_KEPT)
    const message = lateOutputMessage(command, this.#options.effects.newId('msg_'))
    const facts: FactDraft[] = [
      { type: 'messages-imported', messages: [message] },
      // The tool is no longer known, so its output counts as untrusted.
      { type: 'untrusted-taken-in', after: message.id, origin: 'a late output' },
    ]
    try {
      await active.idle()
      await active.owning(() =>
        active.conversation.append(
          (run) => {
            if (run?.end === null) throw busy(active.scope.conversationId)
            return facts
          },
          { runId: null, waits: false },
        ),
      )
      this.#warn(command, 'it was kept as a user message')
    } catch (error) {
      if (!OffstageError.is(error) || error.code !== 'conversation-not-found') throw error
      this.#warn(command, NOT_KEPT)
    }
  }

  #warn({ toolCallId }: SupplyOutput, fate: string): void {
    const message = `No call ${toolCallId} waits for an output; ${fate}.`
    this.#options.notify({ type: 'warning', code: 'no-pending-call', message })
  }
}
