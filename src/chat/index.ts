import { OffstageChat } from './chat-class.ts'
import type { ChatEvents } from './chat-events.ts'

export * from './chat-class.ts'

// Twice on a page (two bundles, a hot reload): the first one stays.
if (globalThis.customElements && !customElements.get('offstage-chat'))
  customElements.define('offstage-chat', OffstageChat)

declare global {
  interface HTMLElementTagNameMap {
    'offstage-chat': OffstageChat
  }
  interface GlobalEventHandlersEventMap extends ChatEvents {}
}
