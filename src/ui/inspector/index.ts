import { OffstageInspector } from './inspector-class.ts'

export * from './inspector-class.ts'

// A second load (another bundle, a hot reload) keeps the first definition: `define` would throw.
if (globalThis.customElements && !customElements.get('offstage-inspector'))
  customElements.define('offstage-inspector', OffstageInspector)

declare global {
  interface HTMLElementTagNameMap {
    'offstage-inspector': OffstageInspector
  }
}
