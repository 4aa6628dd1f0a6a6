import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type { ConversationSnapshot } from '../index.ts'
import { announce, type Announced, announcedBy } from './parts/announce.ts'
import type { Words } from './words/words.ts'

/** Says what is new in a polite live region, which holds nothing else. */
export class Announcer implements ReactiveController {
  readonly #host: ReactiveControllerHost & { readonly renderRoot: ParentNode }
  #announced: Announced | null = null

  constructor(host: ReactiveControllerHost & { readonly renderRoot: ParentNode }) {
    this.#host = host
    host.addController(this)
  }

  hostDisconnected(): void {
    this.#announced = null
  }

  /** After each drawing. */
  say(snapshot: ConversationSnapshot, words: Words): void {
    const region = this.#host.renderRoot.querySelector('.announcements')
    if (!this.#announced) {
      this.#announced = announcedBy(snapshot)
      return
    }
    const { texts, announced } = announce(this.#announced, snapshot, words)
    this.#announced = announced
    if (!region || texts.length === 0) return
    // Each text is an element of its own: what is added is read, and what stood there is not read again.
    region.append(...texts.map(line))
    while (region.childElementCount > 20) region.firstElementChild?.remove()
  }
}

function line(text: string): HTMLElement {
  const element = document.createElement('p')
  element.textContent = text
  return element
}
