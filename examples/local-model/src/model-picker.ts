import type { ModelConfig } from 'offstage'
import { examine } from './doctor'
import { findElement } from './find-element'
import {
  findSources,
  scriptSource,
  sourceIdOf,
  toStoredSource,
  type ModelSource,
} from './model-sources'
import { readStoredModel, storeModel } from './stored-model'

const serverSelect = findElement('server', HTMLSelectElement)
const modelSelect = findElement('model', HTMLSelectElement)
const searchButton = findElement('search', HTMLButtonElement)
const checkButton = findElement('check', HTMLButtonElement)
const doctorLine = findElement('doctor', HTMLElement)
const help = findElement('help', HTMLElement)

/** Examined when nothing was found, to say what is missing. */
const ollama: ModelConfig = { provider: 'ollama', model: 'qwen3:4b' }

let sources: readonly ModelSource[] = [scriptSource]
let latest = new AbortController()

/** Lets the person choose a model. `applyModel` gets each choice, and resolves once the model is ready. */
export function startModelPicker(applyModel: (model: ModelConfig) => Promise<void>): void {
  const stored = readStoredModel()
  if (stored) sources = [toStoredSource(stored), scriptSource]
  showSources(sources[0] ?? scriptSource, stored?.model)
  report(stored ? 'This model was chosen before.' : 'A script answers until you choose a model.')

  const choose = (): void => run((signal) => chooseModel(applyModel, signal))
  const search = (): void => run((signal) => searchModels(applyModel, signal))
  serverSelect.addEventListener('change', () => {
    showModels(selectedSource())
    choose()
  })
  modelSelect.addEventListener('change', choose)
  searchButton.addEventListener('click', search)
  checkButton.addEventListener('click', () => run(testToolCall))

  // On a public page, browsers request permission to reach local addresses, so that a click must come first.
  if (['localhost', '127.0.0.1'].includes(location.hostname)) search()
}

async function searchModels(
  applyModel: (model: ModelConfig) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  report('Looking for models…')
  const found = await findSources(signal)
  const stored = readStoredModel()
  const readySources = found.filter(({ isReady }) => isReady)
  const previous = stored && readySources.find(({ id }) => id === sourceIdOf(stored))
  // The chosen model stays while its server doesn't answer: a run may wait for it.
  const missingSource = stored && !previous ? toStoredSource(stored) : null
  const source = previous ?? missingSource ?? readySources[0] ?? scriptSource
  sources = [
    ...found.filter(({ id }) => id !== missingSource?.id),
    ...(missingSource ? [missingSource] : []),
    scriptSource,
  ]
  showSources(source, stored?.model)
  help.hidden = readySources.length > 0
  if (source !== scriptSource) return chooseModel(applyModel, signal)

  await applyModel(source.configFor(source.preferred))
  const sourceToFix = found.find(({ fix }) => fix !== undefined)
  if (sourceToFix) report(`${sourceToFix.label}: ${sourceToFix.fix}`, false)
  else await examineModel(stored ?? ollama, signal)
}

async function chooseModel(
  applyModel: (model: ModelConfig) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const source = selectedSource()
  if (source.models.length === 0) {
    report(source.fix ?? 'No model was found there.', false)
    return
  }
  const model = source.configFor(modelSelect.value)
  storeModel(model)
  report('Connecting…')
  await applyModel(model)
  if (source === scriptSource) report('A script answers until you choose a model.')
  else await examineModel(model, signal)
}

async function testToolCall(signal: AbortSignal): Promise<void> {
  report('Asking the model to call a tool. It may have to load first.')
  await examineModel(selectedSource().configFor(modelSelect.value), signal, { probe: true })
}

async function examineModel(
  model: ModelConfig,
  signal: AbortSignal,
  { probe } = { probe: false },
): Promise<void> {
  const { isOk, text } = await examine(model, { probe, signal })
  report(text, isOk)
}

/** Starts the work, and ends the work before it. A failure is reported. */
function run(work: (signal: AbortSignal) => Promise<void>): void {
  latest.abort()
  latest = new AbortController()
  const { signal } = latest
  work(signal).catch((error: unknown) => {
    if (!signal.aborted) report(error instanceof Error ? error.message : String(error), false)
  })
}

function selectedSource(): ModelSource {
  return sources.find(({ id }) => id === serverSelect.value) ?? scriptSource
}

function showSources(selected: ModelSource, model?: string): void {
  serverSelect.replaceChildren(...sources.map(({ id, label }) => new Option(label, id)))
  serverSelect.value = selected.id
  showModels(selected, model)
}

function showModels(source: ModelSource, model: string = source.preferred): void {
  const { models, preferred } = source
  modelSelect.replaceChildren(...models.map((name) => new Option(name)))
  modelSelect.value = models.includes(model) ? model : preferred
  modelSelect.disabled = models.length < 2
  checkButton.disabled = models.length === 0 || source === scriptSource
}

function report(text: string, isOk = true): void {
  doctorLine.textContent = text
  doctorLine.classList.toggle('problem', !isOk)
}
