export { pageTools, type PageToolsOptions } from './tools/page-tools.ts'
export type { PageToolName, PageToolPreset } from './tools/page-tools.ts'
export {
  useFormTools,
  type FormToolsLink,
  type FormToolsOptions,
  type ToolRegistrar,
} from './tools/use-form-tools.ts'
export { createPage } from './outline/live-page.ts'
export type {
  ActOptions,
  DialogPolicy,
  NativeDialog,
  Page,
  PageAction,
  PageOptions,
} from './options.ts'
export { PageError, type PageErrorCode } from './page-error.ts'
export { snapshot, type Snapshot, type SnapshotOptions } from './read/snapshot.ts'
export { find, type FindOptions, type FindQuery, type Found } from './read/find.ts'
export { readSelection } from './read/long-text.ts'
export type { Target } from './act/target.ts'
export type { ActionReport } from './act/perform.ts'
export { click, type ClickOptions } from './act/click.ts'
export { hover } from './act/click.ts'
export { typeText, type TypeOptions } from './act/text/type-text.ts'
export { fillForm, type FieldValue } from './act/fill-form.ts'
export { selectOption } from './act/select-option.ts'
export { selectText, type SelectTextOptions } from './act/text/select-text.ts'
export { setChecked } from './act/fill-form.ts'
export { pressKey, type PressKeyOptions } from './act/text/press-key.ts'
export { drag, type DropPlace } from './act/drag.ts'
export { scroll, type ScrollOptions } from './act/scroll.ts'
export { waitFor, type WaitOptions } from './act/wait-for.ts'
export { look, type Look } from './act/look.ts'
export { highlight, type HighlightOptions } from './act/highlight.ts'
export { goBack, navigate } from './act/navigate.ts'
