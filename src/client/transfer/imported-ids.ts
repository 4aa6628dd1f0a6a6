import { OffstageError } from '../../protocol/error.ts'
import { randomId } from '../../lib/random-id.ts'
import type { Beginning } from './lines.ts'

/** The ids that the conversations of a file have where they are imported: their own, or another one where that is taken. */
export class ImportedIds {
  readonly #known: ReadonlySet<string>
  readonly #ids = new Map<string, string>()
  readonly #begun = new Set<string>()
  /** Named by what was imported: it must be that id. */
  readonly #promised = new Set<string>()
  readonly #done = new Map<string, string>()

  constructor(known: ReadonlySet<string>) {
    this.#known = known
  }

  /** Of a conversation that another one names, whether or not it comes: never of one that was there before. */
  of(from: string): string {
    this.#promised.add(from)
    return this.#idOf(from)
  }

  begin(from: string): string {
    if (this.#begun.has(from)) {
      // The second one of this id in the file.
      this.#promised.delete(from)
      return randomId()
    }
    this.#begun.add(from)
    return this.#idOf(from)
  }

  /** It was taken meanwhile. */
  another(from: string): string {
    if (!this.#promised.has(from)) return randomId()
    throw new OffstageError('conversation-busy', 'Another conversation has its id.')
  }

  end(from: string, to: string): void {
    this.#done.set(from, to)
  }

  /** Only of what was imported with it. */
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
