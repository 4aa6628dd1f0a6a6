import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type { ChatContext } from './context.ts'
import type * as announcing from './parts/announce.ts'
import type { Announced } from './parts/announce.ts'
import { LONG_MS } from './parts/call-state.ts'

type Announce = Pick<typeof announcing, 'announcedBy' | 'announceIn'>
type Said = Pick<ChatContext, 'snapshot' | 'words' | 'around'>

/** Milliseconds until an announcement is removed from the page: enough for a screen reader to read it. */
const READ_MS = 7000

/** Announces changes in a polite live region of its own. The code that words them loads after the first render. */
export class Announcer implements ReactiveController {
  readonly #host: ReactiveControllerHost & { readonly renderRoot: ParentNode }
  #code: Announce | null = null
  #announced: ((code: Announce) => Announced) | null = null
  #later: ReturnType<typeof setTimeout> | undefined

  constructor(host: ReactiveControllerHost & { readonly renderRoot: ParentNode }) {
    this.#host = host
    host.addController(this)
  }

  hostDisconnected(): void {
    this.#announced = null
  }

  /** Announces what changed. Called after each render. */
  say({ snapshot, words, around }: Said): void {
    const openedAt = Date.now()
    this.#announced ??= (code) => code.announcedBy(snapshot, openedAt)
    clearTimeout(this.#later)
    if (snapshot.status === 'running')
      this.#later = setTimeout(() => this.#host.requestUpdate(), LONG_MS)
    if (!this.#code) return this.#load()
    const { texts, announced } = this.#code.announceIn(this.#announced(this.#code), {
      snapshot,
      words,
      around,
    })
    this.#announced = () => announced
    const region = this.#host.renderRoot.querySelector('.announcements')
    for (const text of region ? texts : []) {
      // Each text gets its own element, so that screen readers read only the new one.
      const line = document.createElement('p')
      line.textContent = text
      region?.append(line)
      setTimeout(() => line.remove(), READ_MS)
    }
  }

  /** Loads the code. If that fails, the next render tries again. */
  #load(): void {
    import('./parts/announce.ts').then(
      (code) => {
        this.#code = code
        this.#host.requestUpdate()
      },
      () => {},
    )
  }
}
