import source from 'virtual:offstage-worker-source'

/** The default worker without a file of its own. Needs `worker-src blob:` where a CSP is set. */
export function createInlineWorker(): Worker {
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))
  const worker = new Worker(url, { type: 'module' })
  const release = (): void => URL.revokeObjectURL(url)
  worker.addEventListener('message', release, { once: true })
  worker.addEventListener('error', release, { once: true })
  return worker
}
