import { scriptAddress } from '../lib/script-address.ts'
// oxlint-disable-next-line import/default -- Vite makes it: the address of the worker's file.
import address from '../worker/webllm-worker.ts?worker&url'

export { webllm } from 'offstage/webllm'

export function createWorker(): Worker {
  return new Worker(scriptAddress(address), { type: 'module' })
}
