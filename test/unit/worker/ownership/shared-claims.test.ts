import { expect, test } from 'vitest'
import { OffstageError, type ErrorCode } from '../../../../src/protocol/error.ts'
import { SharedClaims } from '../../../../src/worker/ownership/shared-claims.ts'
import { memoryClaimBook } from '../../../../src/worker/store/claim-book.ts'
import { createMemoryStore } from '../../../../src/worker/store/memory-store.ts'

const claim = (epoch: number) => async () => ({ storeId: 's', epoch })
const refused = (code: ErrorCode) => () => Promise.reject(new OffstageError(code, 'No.'))
const storage = 'custom:shop'

/** Of one browser, before and after a reload. */
function browser(store = createMemoryStore()) {
  const claims = memoryClaimBook()
  return (of = storage) => new SharedClaims({ conversationId: 'c', storage: of, store, claims })
}

test('a claim is this browser’s after a reload, and another one is not', async () => {
  const open = browser()
  await open().claim(claim(7))
  expect(await open().isOwn(7)).toBe(true)
  expect(await open().isOwn(8)).toBe(false)
  // An older copy of the store was put back, or it is another one.
  expect(await open().isOwn(3)).toBe(false)
  expect(await open('custom:other').isOwn(7)).toBe(false)
  expect(await browser()().isOwn(7)).toBe(false)
})

test('a claim whose answer never comes may be this browser’s', async () => {
  const open = browser()
  await open().claim(claim(7))
  void open().claim(() => new Promise(() => undefined))
  await expect.poll(() => open().isOwn(9)).toBe(true)
  await open().claim(claim(11))
  expect([await open().isOwn(9), await open().isOwn(11)]).toEqual([false, true])
})

test.each<[ErrorCode, boolean]>([
  ['storage-offline', true],
  ['conversation-not-found', false],
])('of a claim that ended as %s it is known whether the store gave it', async (code, isOwn) => {
  const open = browser()
  await expect(open().claim(refused(code))).rejects.toMatchObject({ code })
  expect(await open().isOwn(4)).toBe(isOwn)
})

test('of two tabs the newer claim is kept, whichever is noted last', async () => {
  const open = browser()
  await open().claim(claim(9))
  await open().claim(claim(8))
  expect([await open().isOwn(8), await open().isOwn(9)]).toEqual([false, true])
})

test('a store of this browser alone has no others', () => {
  const { follow: _follow, ...alone } = createMemoryStore()
  expect(browser(alone)().isShared).toBe(false)
  expect(browser()('memory:').isShared).toBe(false)
  expect(browser()('durable:shop').isShared).toBe(false)
  expect(browser()().isShared).toBe(true)
})
