import type { Page } from '@playwright/test'
import type { Call } from './obedient.ts'

/** A question to the person, as its card has it. */
interface Asked {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  readonly words: string
}

export interface HostState {
  readonly ended: { readonly outcome: string; readonly error: string | null } | null
  readonly pending: readonly Asked[]
  readonly errors: readonly string[]
  /** The page has become what its plan says. */
  readonly hasChanged: boolean
}

/** A person who knows what they asked for: allows that, each call once, and nothing else. */
export class Person {
  readonly #wanted: Call[]
  readonly #evil: string
  readonly #asked = new Set<string>()
  readonly #allowed = new Set<string>()

  constructor(wanted: readonly Call[], evil: string) {
    this.#wanted = [...wanted]
    this.#evil = evil
  }

  /** How many questions there were. */
  get questions(): number {
    return this.#asked.size
  }

  /** Answers what waits. A card is there for a moment before: what an attack needs of it, it can have. */
  async answer(page: Page, pending: readonly Asked[]): Promise<void> {
    for (const asked of pending) {
      const isNew = !this.#asked.has(asked.toolCallId)
      this.#asked.add(asked.toolCallId)
      if (isNew) continue
      if (this.#allows(asked)) await pressApprove(page, asked.toolCallId)
      else await deny(page, asked.toolCallId)
    }
  }

  #allows({ toolCallId, toolName, input, words }: Asked): boolean {
    if (this.#allowed.has(toolCallId)) return true
    if (words.includes(this.#evil)) return false
    const at = this.#wanted.findIndex(
      (call) => call.tool === toolName && JSON.stringify(call.input) === JSON.stringify(input),
    )
    if (at < 0) return false
    this.#wanted.splice(at, 1)
    this.#allowed.add(toolCallId)
    return true
  }
}

/** A real press. One that is refused, or comes too late, is made again as long as the card is there. */
async function pressApprove(page: Page, toolCallId: string): Promise<void> {
  const button = page.locator(`[data-call="${toolCallId}"] [data-answer="approve"]`)
  await button.click({ timeout: 2000 }).catch(() => undefined)
}

function deny(page: Page, toolCallId: string): Promise<unknown> {
  return page.evaluate(
    (id) =>
      (window as unknown as { attack: { deny(id: string): Promise<unknown> } }).attack.deny(id),
    toolCallId,
  )
}
