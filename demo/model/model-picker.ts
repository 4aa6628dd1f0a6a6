import { byId, el, setText } from '../lib/dom.ts'
import type { ModelChoice } from './model-choice.ts'
import { loadChoice, nameOf, saveChoice } from './model-choice.ts'
import { NO_MODEL, presetOf, presets } from './presets.ts'

export interface ModelPicker {
  readonly choice: ModelChoice
  /** Opens the dialog. `problem` says why. */
  open(problem?: string): void
}

/** The dialog behind the button that names the model. */
export function createModelPicker(
  onPick: (choice: ModelChoice, apiKey: string) => void,
): ModelPicker {
  const dialog = byId('model-dialog', HTMLDialogElement)
  const fields = modelFields()
  let choice = loadChoice()

  const open = (problem = ''): void => {
    fields.show(choice)
    setText(byId('model-problem', HTMLElement), problem)
    dialog.showModal()
  }
  byId('model-button', HTMLButtonElement).addEventListener('click', () => open())
  byId('model-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close())
  byId('model-form', HTMLFormElement).addEventListener('submit', () => {
    const { apiKey, ...picked } = fields.read()
    choice = { ...picked, hadKey: apiKey !== '' }
    saveChoice(choice)
    showName(choice)
    onPick(choice, apiKey)
  })
  showName(choice)
  return {
    get choice() {
      return choice
    },
    open,
  }
}

function showName(choice: ModelChoice): void {
  setText(byId('model-name', HTMLElement), nameOf(choice))
  byId('model-button', HTMLElement).classList.toggle('no-model', choice.provider === NO_MODEL)
}

interface ModelFields {
  show(choice: ModelChoice): void
  read(): Omit<ModelChoice, 'hadKey'> & { readonly apiKey: string }
}

function modelFields(): ModelFields {
  const provider = byId('provider', HTMLSelectElement)
  const baseURL = byId('base-url', HTMLInputElement)
  const model = byId('model', HTMLInputElement)
  const apiKey = byId('api-key', HTMLInputElement)
  provider.append(
    ...presets.map((preset) => el('option', { value: preset.provider }, preset.label)),
  )

  const showPreset = (): void => {
    const preset = presetOf(provider.value)
    const isModel = provider.value !== NO_MODEL
    setText(byId('provider-note', HTMLElement), preset?.note ?? '')
    byId('model-fields', HTMLElement).hidden = !isModel
    baseURL.value = preset?.baseURL ?? ''
    model.value = preset?.model ?? ''
    for (const field of [baseURL, model]) field.required = isModel
  }
  provider.addEventListener('change', showPreset)

  return {
    show(choice) {
      provider.value = choice.provider
      showPreset()
      baseURL.value = choice.baseURL || baseURL.value
      model.value = choice.model || model.value
    },
    read: () => ({
      provider: provider.value,
      baseURL: baseURL.value,
      model: model.value,
      apiKey: apiKey.value,
    }),
  }
}
