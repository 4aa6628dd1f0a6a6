export { pageTools, type PageToolsOptions } from './tools/page-tools.ts'
export type { PageToolPreset } from './tools/page-tools.ts'
export type { PageToolName } from './definitions.ts'
export {
  useFormTools,
  type FormToolsLink,
  type FormToolsOptions,
  type ToolRegistrar,
} from './tools/use-form-tools.ts'
export { createPage } from './page.ts'
export type {
  ActOptions,
  DialogPolicy,
  NativeDialog,
  Page,
  PageAction,
  PageOptions,
} from './page.ts'
export { PageError, type PageErrorCode } from './page.ts'
export {
  click,
  drag,
  fillForm,
  find,
  goBack,
  highlight,
  hover,
  look,
  navigate,
  pressKey,
  readSelection,
  scroll,
  selectOption,
  selectText,
  setChecked,
  snapshot,
  typeText,
  waitFor,
} from './tools/page-tools.ts'
export type { Snapshot, SnapshotOptions } from './read/snapshot.ts'
export type { FindOptions, FindQuery, Found } from './read/find.ts'
export type { Target } from './act/target.ts'
export type { ActionReport } from './act/perform.ts'
export type { ClickOptions } from './act/click.ts'
export type { TypeOptions } from './act/text/type-text.ts'
export type { FieldValue } from './act/fill-form.ts'
export type { SelectTextOptions } from './act/text/select-text.ts'
export type { PressKeyOptions } from './act/text/press-key.ts'
export type { DropPlace } from './act/drag.ts'
export type { ScrollOptions } from './act/scroll.ts'
export type { WaitOptions } from './act/wait-for.ts'
export type { Look } from './act/look.ts'
export type { HighlightOptions } from './act/highlight.ts'
