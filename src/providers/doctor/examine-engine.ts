import { toErrorData } from '../../protocol/error.ts'
import { createProvider } from '../create-provider.ts'
import { browserModel, findWebGpu } from './browser-models.ts'
import type { Examination } from './examination.ts'
import { CHECK_NAMES } from './report.ts'

/** Providers that are no HTTP endpoint: only what the browser must have can be looked at. */
export async function examineEngine(examination: Examination): Promise<undefined> {
  const { findings, config } = examination
  switch (config.provider) {
    case 'prompt-api':
      await examineBrowserModel(examination)
      break
    case 'webllm':
      if (await findWebGpu()) findings.ok('configuration', 'WebGPU has an adapter.')
      else
        findings.fail(
          'configuration',
          'WebLLM needs WebGPU, and this browser offers no adapter.',
          'Use a browser with WebGPU and a graphics card that it supports, or another provider.',
        )
      break
    case 'wllama':
      findings.ok('configuration', 'It runs wherever WebAssembly does.')
      break
    default:
      examineOther(examination)
  }
  for (const name of CHECK_NAMES) findings.skip(name, 'This provider is not reached over HTTP.')
}

async function examineBrowserModel({ findings }: Examination): Promise<void> {
  findings.ok('configuration', 'The model is part of the browser.')
  const availability = await browserModel()
  switch (availability) {
    case 'available':
      return findings.ok('model', 'The model of this browser is ready.')
    case 'downloadable':
    case 'downloading':
      return findings.warn(
        'model',
        `The model of this browser is ${availability}.`,
        'Let it load first: agent.prepare()',
      )
    case 'unavailable':
      return findings.fail(
        'model',
        'This browser has no model for pages (LanguageModel is missing or unavailable; workers never have it).',
        'Use a browser that has one, on a machine that meets its demands, or another provider.',
      )
    default:
      availability satisfies never
  }
}

function examineOther({ findings, config, options }: Examination): void {
  try {
    createProvider(config, options.providers ? { providers: options.providers } : {})
    findings.ok('configuration', 'The provider is known.')
  } catch (thrown) {
    findings.fail('configuration', toErrorData(thrown).message)
  }
}
