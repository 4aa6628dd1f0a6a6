import wasmUrl from '@wllama/wllama/esm/wasm/wllama.wasm?url'
import { scriptAddress } from '../lib/script-address.ts'
// oxlint-disable-next-line import/default -- Vite makes it: the address of the worker's file.
import address from '../worker/wllama-worker.ts?worker&url'

export { wllama } from 'offstage/wllama'
export { wasmUrl }

export function createWorker(): Worker {
  return new Worker(scriptAddress(address), { type: 'module' })
}
