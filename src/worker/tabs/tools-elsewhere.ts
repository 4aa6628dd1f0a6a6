import type { Effects } from '../effects.ts'
import type { TabChannel } from '../ownership/tab-channel.ts'
import { withStop } from '../stopping.ts'
import type { TabMessages } from './tab-messages.ts'

/** Time for tabs with the tool to answer. Milliseconds. */
const ANSWER_MS = 300

export interface ToolsElsewhereOptions {
  readonly channel: TabChannel<TabMessages>
  readonly effects: Pick<Effects, 'sleep' | 'newId'>
  /** The tools of this tab for a conversation that it shows. */
  toolNames(conversationId: string): Promise<readonly string[]>
}

/** Finds out which tools other tabs have. */
export class ToolsElsewhere {
  readonly #options: ToolsElsewhereOptions

  constructor(options: ToolsElsewhereOptions) {
    this.#options = options
    const { channel, toolNames } = options
    channel.on('tool-ask', async ({ conversationId, toolName, askId }) => {
      const names: readonly string[] = await toolNames(conversationId).catch(() => [])
      if (names.includes(toolName)) channel.post('tool-there', { askId })
    })
  }

  /** Whether another tab that shows the conversation has the tool. */
  async has(conversationId: string, toolName: string): Promise<boolean> {
    const { channel, effects } = this.#options
    if (!channel.isOpen) return false
    const askId = effects.newId('ask-')
    let isThere = false
    await withStop([], async (wait) => {
      const remove = channel.on('tool-there', (answer) => {
        if (answer.askId !== askId) return
        isThere = true
        wait.abort()
      })
      channel.post('tool-ask', { conversationId, toolName, askId })
      await effects.sleep(ANSWER_MS, wait.signal)
      remove()
    })
    return isThere
  }
}
