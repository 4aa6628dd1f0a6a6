import { afterEach, expect, test, vi } from 'vitest'
import { attach, getAttachments } from '../../../src/ui/chat/attachments.ts'
import { createLocalState } from '../../../src/ui/chat/element.ts'

afterEach(() => vi.unstubAllGlobals())

class Reader extends EventTarget {
  result = ''
  readAsDataURL({ name, size }: File): void {
    this.result = `data:;base64,${'A'.repeat((size * 4) / 3)}`
    setTimeout(() => this.dispatchEvent(new Event(name === 'folder' ? 'error' : 'load')))
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

test('a dropped folder, which can’t be read, is named, and the other files are attached', async () => {
  vi.stubGlobal('FileReader', Reader)
  const local = createLocalState(() => {})
  const files = ['a.txt', 'folder', 'b.txt'].map((name) => new File(['abc'], name))
  await expect(attach(local, 'c1', files)).rejects.toThrow(/^folder$/)
  expect(getAttachments(local, 'c1').map(({ filename }) => filename)).toEqual(['a.txt', 'b.txt'])
})
