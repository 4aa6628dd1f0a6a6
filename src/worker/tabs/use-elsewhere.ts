import type { Effects } from '../effects.ts'
import type { TabChannel } from '../ownership/tab-channel.ts'
import type { TabMessages } from './tab-messages.ts'

/** Time for tabs that use conversations to answer. Milliseconds. */
const ANSWER_MS = 1000

export interface UseElsewhereOptions {
  readonly channel: TabChannel<TabMessages>
  readonly effects: Pick<Effects, 'sleep' | 'newId'>
  /** The conversations that this tab shows or works on. */
  inUse(): readonly string[]
}

/** Finds out which conversations other tabs use. */
export class UseElsewhere {
  readonly #options: UseElsewhereOptions

  constructor(options: UseElsewhereOptions) {
    this.#options = options
    const { channel, inUse } = options
    channel.on('use-ask', ({ askId }) => {
      const conversationIds = inUse()
      if (conversationIds.length > 0) channel.post('use-there', { askId, conversationIds })
    })
  }

  /** The ids of the conversations in use. Frozen tabs don't answer. */
  async find(): Promise<ReadonlySet<string>> {
    const { channel, effects } = this.#options
    const found = new Set<string>()
    if (!channel.isOpen) return found
    const askId = effects.newId('ask-')
    const remove = channel.on('use-there', (answer) => {
      if (answer.askId === askId) for (const id of answer.conversationIds) found.add(id)
    })
    channel.post('use-ask', { askId })
    await effects.sleep(ANSWER_MS)
    remove()
    return found
  }
}
