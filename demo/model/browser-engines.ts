import type { Engine } from 'offstage/engines'

/** Files that the visitor chose for wllama, by name. The page keeps them, and a reload forgets them. */
export const modelFiles: Record<string, File> = {}

let wllamaWorker: Worker | undefined

/** Engines for models that run in this browser. Nothing of an engine is loaded before its model is asked. */
export const browserEngines: readonly Engine[] = [
  lazyEngine('prompt-api', async () => (await import('offstage/prompt-api')).promptApi(), 'action'),
  lazyEngine('wllama', createWllama),
  lazyEngine('webllm', createWebLLM, 'action'),
]

/** Keeps the file for wllama. An engine that runs with other files starts again. */
export function addModelFile(file: File): void {
  modelFiles[file.name] = file
  wllamaWorker?.terminate()
}

async function createWllama(): Promise<Engine> {
  const { wllama, wasmUrl, createWorker } = await import('./wllama-parts.ts')
  return wllama({
    worker: () => (wllamaWorker = createWorker()),
    wasmUrl,
    models: modelFiles,
  })
}

async function createWebLLM(): Promise<Engine> {
  const { webllm, createWorker } = await import('./webllm-parts.ts')
  return webllm({ worker: createWorker })
}

function lazyEngine(id: string, create: () => Promise<Engine>, toolMode?: 'action'): Engine {
  let engine: Promise<Engine> | undefined
  return {
    id,
    ...(toolMode && { toolMode }),
    open: async (opening) => (await (engine ??= create())).open(opening),
    release: (agentId) => void engine?.then((created) => created.release(agentId)).catch(() => {}),
  }
}
