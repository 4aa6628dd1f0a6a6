import type { DemoApp } from '../app.ts'
import type { CallMode } from '../model/call-mode.ts'
import type { ModelChoice } from '../model/model-choice.ts'
import type { ToolEdits } from '../tools/edit-tools.ts'

export interface ProjectFile {
  readonly path: string
  readonly text: string
}

export interface ProjectSetup {
  readonly app: DemoApp['id']
  readonly title: string
  readonly model: ModelChoice
  readonly callMode: CallMode
  readonly edits: ToolEdits
}
