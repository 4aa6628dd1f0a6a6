import { OffstageInspector } from './inspector-class.ts'

export * from './inspector-class.ts'

// Twice on a page (two bundles, a hot reload): the first one stays.
if (globalThis.customElements && !customElements.get('offstage-inspector'))
  customElements.define('offstage-inspector', OffstageInspector)

declare global {
  interface HTMLElementTagNameMap {
    'offstage-inspector': OffstageInspector
  }
}
