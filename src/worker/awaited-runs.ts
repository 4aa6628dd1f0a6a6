import type { PageApi } from '../protocol/page-calls.ts'
import type { ActiveConversation } from './active-conversation.ts'
import type { ConversationRegistry } from './conversation-registry.ts'
import type { Effects } from './effects.ts'
import { elsewhere } from './ownership/elsewhere.ts'
import { withStop } from './ownership/with-stop.ts'
import type { RunLauncher } from './run-launcher.ts'

/** Milliseconds between checks of the store, in case another tab drives or ends the run. */
const LOOK_MS = 1000

export interface AwaitedRunsOptions {
  readonly registry: Pick<ConversationRegistry, 'take'>
  readonly launcher: Pick<RunLauncher, 'isReleased'>
  readonly page: Pick<PageApi, 'goOnWithCaller'>
  readonly effects: Pick<Effects, 'sleep'>
}

/** Child runs without an active driver. The owner of the parent run resumes them. */
export class AwaitedRuns {
  readonly #options: AwaitedRunsOptions
  /** Pending requests to the page, by conversation. */
  readonly #asking = new Map<ActiveConversation, Promise<void>>()

  constructor(options: AwaitedRunsOptions) {
    this.#options = options
  }

  /**
   * Resolves once the run is driven, here or in another tab, or no call waits for it any more. Asks the page to
   * resume it once the needed agents exist. Throws `conversation-busy` when the waiting agent is gone.
   */
  async untilDriven(active: ActiveConversation, agentId: string): Promise<void> {
    const { launcher, effects } = this.#options
    const { conversation, tabs } = active
    const driven = active.whenDriven()
    while (active.driver === null) {
      if (launcher.isReleased(agentId)) throw elsewhere(conversation.conversationId)
      this.#ask(active, agentId)
      await withStop([], ({ signal }) => Promise.race([driven, effects.sleep(LOOK_MS, signal)]))
      await conversation.refresh()
      if (conversation.run?.end !== null || !(await conversation.isAwaited())) return
      if (typeof tabs.driverOf(conversation.conversationId) === 'string') return
    }
  }

  #ask(active: ActiveConversation, agentId: string): void {
    if (this.#asking.has(active)) return
    const asked = this.#askPage(active, agentId)
      // A page that fails to answer resumes nothing.
      .catch(() => undefined)
      .finally(() => this.#asking.delete(active))
    this.#asking.set(active, asked)
  }

  async #askPage({ conversation, scope }: ActiveConversation, agentId: string): Promise<void> {
    const { registry, page } = this.#options
    const { parent } = conversation
    if (!parent) return
    const { conversationId, toolCallId } = parent
    const above = await registry.take({ ...scope, agentId, conversationId })
    await above.conversation.refresh()
    const call = above.conversation.run?.calls.find((each) => each.toolCallId === toolCallId)
    if (call) await page.goOnWithCaller({ agentId, conversationId, toolName: call.toolName })
  }
}
