import source from 'virtual:offstage-worker-source'
import { startTrusted } from '../worker-link/trusted-worker.ts'
import { OffstageError } from '../../protocol/error.ts'

/**
 * Creates the default worker without a file of its own, as a classic script: pages without an origin (`file://`,
 * sandboxed frames) may load no module. Needs `worker-src blob:` if a CSP is set.
 */
export async function createInlineWorker(): Promise<Worker> {
  const url = URL.createObjectURL(await unpacked())
  const release = (): void => URL.revokeObjectURL(url)
  try {
    const worker = startTrusted(() => new Worker(url))
    worker.addEventListener('message', release, { once: true })
    worker.addEventListener('error', release, { once: true })
    // A worker that is ended before its first message sends neither event.
    worker.terminate = () => {
      release()
      Worker.prototype.terminate.call(worker)
    }
    return worker
  } catch (thrown) {
    release()
    throw thrown
  }
}

async function unpacked(): Promise<Blob> {
  if (typeof DecompressionStream === 'undefined')
    throw new OffstageError(
      'worker-load-failed',
      'this browser lacks DecompressionStream, which unpacks the inline worker. Serve the worker as a file.',
      { details: { reason: 'unsupported' } },
    )
  const packed = Uint8Array.from(atob(source), (sign) => sign.charCodeAt(0))
  const text = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Blob([await new Response(text).arrayBuffer()], { type: 'text/javascript' })
}
