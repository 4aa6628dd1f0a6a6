import type { PageApi } from '../protocol/page-calls.ts'
import type { ActiveConversation } from './active-conversation.ts'
import type { ConversationRegistry } from './conversation-registry.ts'
import type { Effects } from './effects.ts'
import { elsewhere } from './ownership/elsewhere.ts'
import { withStop } from './ownership/with-stop.ts'
import type { RunLauncher } from './run-launcher.ts'

/** The store is looked at so often, should what is waited for happen in another tab. Milliseconds. */
const LOOK_MS = 1000

export interface AwaitedRunsOptions {
  readonly registry: Pick<ConversationRegistry, 'take'>
  readonly launcher: Pick<RunLauncher, 'isReleased'>
  readonly page: Pick<PageApi, 'goOnWithCaller'>
  readonly effects: Pick<Effects, 'sleep'>
}

/** Runs that work for calls, and that nobody drives: whoever goes on with the run that called goes on with them. */
export class AwaitedRuns {
  readonly #options: AwaitedRunsOptions
  /** By conversation: the page is being asked. */
  readonly #asking = new Map<ActiveConversation, Promise<void>>()

  constructor(options: AwaitedRunsOptions) {
    this.#options = options
  }

  /**
   * Resolves once the run is driven, here or in another tab, or no call waits for it any more. Has the page go on with
   * it, as soon as that has the agents. Throws `conversation-busy` when the agent that waits is gone, of which nobody is notified any more.
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
      // A page that can't say goes on with nothing.
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
