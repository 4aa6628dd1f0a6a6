import { OffstageError } from '../../protocol/error.ts'
import { randomId } from '../../lib/random-id.ts'
import type { Beginning } from './lines.ts'

/** Ids of a file's conversations in the store: their own, or new ones if those are taken. */
export class ImportedIds {
  readonly #known: ReadonlySet<string>
  readonly #ids = new Map<string, string>()
  readonly #begun = new Set<string>()
  /** Ids that imported rows refer to, so that they can't change any more. */
  readonly #promised = new Set<string>()
  readonly #done = new Map<string, string>()

  constructor(known: ReadonlySet<string>) {
    this.#known = known
  }

  /**
   * Returns the new id of a conversation that another one refers to, even if it isn't in the file. Never the id of one
   * that existed before.
   */
  of(from: string): string {
    this.#promised.add(from)
    return this.#idOf(from)
  }

  begin(from: string): string {
    if (this.#begun.has(from)) {
      // Another conversation of the file has the same id.
      this.#promised.delete(from)
      return randomId()
    }
    this.#begun.add(from)
    return this.#idOf(from)
  }

  /**
   * Returns a new id, as the previous one was taken meanwhile. Throws `conversation-busy` if imported rows refer to
   * that one.
   */
  another(from: string): string {
    if (!this.#promised.has(from)) return randomId()
    throw new OffstageError('conversation-busy', 'Another conversation has its id.')
  }

  end(from: string, to: string): void {
    this.#done.set(from, to)
  }

  /** Returns the parent if it was imported from the same file. */
  parentOf({ parent }: Beginning): Beginning['parent'] {
    if (!parent) return undefined
    const conversationId = this.#done.get(parent.conversationId)
    return conversationId === undefined ? undefined : { ...parent, conversationId }
  }

  #idOf(from: string): string {
    const known = this.#ids.get(from)
    if (known !== undefined) return known
    const to = this.#known.has(from) ? randomId() : from
    this.#ids.set(from, to)
    return to
  }
}
