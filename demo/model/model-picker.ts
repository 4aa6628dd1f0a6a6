import { byId, setText } from '../lib/dom.ts'
import { addModelFile } from './browser-engines.ts'
import { createCheckup } from './checkup.ts'
import type { FoundModels, FoundServer } from './found-models.ts'
import { createFoundModels } from './found-models.ts'
import type { ModelChoice } from './model-choice.ts'
import { loadChoice, nameOf, saveChoice, toModelConfig } from './model-choice.ts'
import type { ModelFields, TypedModel } from './model-fields.ts'
import { createModelFields } from './model-fields.ts'
import { NO_MODEL } from './presets.ts'

export interface PickerOptions {
  onPick(choice: ModelChoice, apiKey: string): void
  /** The dialog is closed, whether or not something was picked. */
  onClose(): void
}

/** The dialog behind the button that names the model. */
export class ModelPicker {
  readonly #options: PickerOptions
  readonly #dialog: HTMLDialogElement = byId('model-dialog', HTMLDialogElement)
  readonly #fields: ModelFields = createModelFields()
  readonly #foundModels: FoundModels
  #choice: ModelChoice = loadChoice()

  constructor(options: PickerOptions) {
    this.#options = options
    this.#foundModels = createFoundModels({
      onPick: (server, model) => this.#pickFound(server, model),
      onEngine: (provider, model) => this.#fields.show({ provider, baseURL: '', model }),
    })
    const form = byId('model-form', HTMLFormElement)
    const checkup = createCheckup(byId('model-report', HTMLElement))
    byId('model-button', HTMLElement).addEventListener('click', () => this.open())
    byId('model-cancel', HTMLElement).addEventListener('click', () => this.#dialog.close())
    byId('model-test', HTMLElement).addEventListener('click', () => {
      const { apiKey, file: _, ...typed } = this.#fields.read()
      if (form.reportValidity()) void checkup.run(toModelConfig(typed, apiKey))
    })
    form.addEventListener('input', () => checkup.clear())
    form.addEventListener('submit', () => this.#pick(this.#fields.read()))
    this.#dialog.addEventListener('close', () => {
      checkup.clear()
      this.#foundModels.clear()
      options.onClose()
    })
    showName(this.#choice)
  }

  get choice(): ModelChoice {
    return this.#choice
  }

  /** Opens the dialog because a person asked for it, and looks for local models. */
  open(): void {
    this.#show('')
    this.#foundModels.search()
  }

  /** Opens the dialog by itself, so it looks for nothing. `problem` says why. */
  openWithProblem(problem: string): void {
    this.#show(problem)
  }

  #show(problem: string): void {
    this.#fields.show(this.#choice)
    setText(byId('model-problem', HTMLElement), problem)
    this.#dialog.showModal()
  }

  #pickFound({ provider, baseURL, status }: FoundServer, model: string): void {
    const choice = { provider, baseURL, model }
    if (status === 'key-needed') {
      this.#fields.show(choice)
      this.#fields.focusKey()
      return
    }
    this.#pick({ ...choice, apiKey: '' })
    this.#dialog.close()
  }

  #pick({ apiKey, file, ...picked }: TypedModel): void {
    if (file) addModelFile(file)
    this.#choice = { ...picked, hadKey: apiKey !== '' || file !== undefined }
    saveChoice(this.#choice)
    showName(this.#choice)
    this.#options.onPick(this.#choice, apiKey)
  }
}

function showName(choice: ModelChoice): void {
  const isScript = choice.provider === NO_MODEL
  setText(byId('model-name', HTMLElement), nameOf(choice))
  setText(byId('model-button', HTMLElement), isScript ? 'Connect a model' : 'Change the model')
  byId('model-line', HTMLElement).classList.toggle('no-model', isScript)
}
