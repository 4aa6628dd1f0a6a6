import source from 'virtual:offstage-worker-source'
import { startTrusted } from '../client/trusted-worker.ts'
import { OffstageError } from '../protocol/error.ts'

/**
 * The default worker without a file of its own, as a classic script: where pages have no origin
 * (`file://`, sandboxed frames), no module may be loaded. Needs `worker-src blob:` where a CSP is set.
 */
export async function createInlineWorker(): Promise<Worker> {
  const url = URL.createObjectURL(await unpacked())
  const release = (): void => URL.revokeObjectURL(url)
  try {
    const worker = startTrusted(() => new Worker(url))
    worker.addEventListener('message', release, { once: true })
    worker.addEventListener('error', release, { once: true })
    // One that is ended before it says anything sends neither.
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
