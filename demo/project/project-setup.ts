import type { DemoApp } from '../app.ts'
import type { ModelChoice } from '../model/model-choice.ts'

export interface ProjectFile {
  readonly path: string
  readonly text: string
}

export interface ProjectSetup {
  readonly app: DemoApp['id']
  readonly title: string
  readonly model: ModelChoice
}
