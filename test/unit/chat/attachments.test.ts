import { afterEach, expect, test, vi } from 'vitest'
import { attach, getAttachments } from '../../../src/ui/chat/attachments.ts'
import { createLocalState } from '../../../src/ui/chat/element.ts'

afterEach(() => vi.unstubAllGlobals())

class Reader extends EventTarget {
  result = ''
  readAsDataURL({ size }: File): void {
    this.result = `data:;base64,${'A'.repeat((size * 4) / 3)}`
    setTimeout(() => this.dispatchEvent(new Event('load')))
  }
}

test('files chosen while others are still read count together with them', async () => {
  vi.stubGlobal('FileReader', Reader)
  const local = createLocalState(() => {})
  const file = new File([new Uint8Array(12_000_000)], 'large.bin')
  const both = await Promise.allSettled([attach(local, 'c1', [file]), attach(local, 'c1', [file])])
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(getAttachments(local, 'c1')).toHaveLength(1)
})
