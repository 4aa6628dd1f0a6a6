import { InspectorElement } from './element.ts'
import type { OffstageInspector as Element } from './offstage-inspector.ts'

export type { InspectorProperties } from './offstage-inspector.ts'

export type OffstageInspector = Element

/** The class of `<offstage-inspector>`, for a name of one's own. */
export const OffstageInspector: {
  new (): OffstageInspector
  readonly prototype: OffstageInspector
} = InspectorElement
