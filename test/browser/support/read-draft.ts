/** The kept draft of the conversation `c`, as the database has it. Runs in a page of the same site. */
export function readDraft(): Promise<{ parts: { text: string }[] } | undefined> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('offstage-2:offstage')
    request.addEventListener('error', () => reject(request.error ?? new Error('no database')))
    request.addEventListener('success', () => {
      const db = request.result
      const read = db.transaction('drafts').objectStore('drafts').get('c')
      read.addEventListener('success', () => {
        db.close()
        resolve(read.result as undefined)
      })
    })
  })
}
