import { OffstageChat } from './chat-class.ts'
import type { ChatEvents } from './context.ts'

export * from './chat-class.ts'

// A second load (another bundle, a hot reload) keeps the first definition: `define` would throw.
if (globalThis.customElements && !customElements.get('offstage-chat'))
  customElements.define('offstage-chat', OffstageChat)

declare global {
  interface HTMLElementTagNameMap {
    'offstage-chat': OffstageChat
  }
  interface GlobalEventHandlersEventMap extends ChatEvents {}
}
