/** Appends that were answered, by tenant and id. */
const answered = new Set()

/** The violation that trials must find: the second copy of an append is written behind the newest row. */
export async function applyAgain(pool, request) {
  const { call, conversationId, appendId } = await request.json()
  const tenant = request.headers.get('x-tenant')
  if (call !== 'append') return
  const key = `${tenant} ${appendId}`
  if (!answered.has(key)) return void answered.add(key)
  const client = await pool.connect()
  let isDone = false
  try {
    await client.query('BEGIN')
    await repeat(client, { place: [tenant, conversationId], appendId })
    await client.query('COMMIT')
    isDone = true
  } finally {
    client.release(!isDone)
  }
}

const AT = 'WHERE tenant = $1 AND conversation = $2'
const CHANGE = 'UPDATE offstage_tenants SET newest_change = newest_change + 1 WHERE tenant = $1'
const UPDATE = `UPDATE offstage_records SET record = $3, last_seq = $4,
  newest_change = (SELECT newest_change FROM offstage_tenants WHERE tenant = $1) ${AT}`

async function repeat(client, { place, appendId }) {
  await client.query(CHANGE, place.slice(0, 1))
  const records = await client.query(`SELECT record FROM offstage_records ${AT}`, place)
  const stored = await client.query(`SELECT data FROM offstage_rows ${AT} ORDER BY seq`, place)
  const record = JSON.parse(records.rows[0].record)
  const rows = stored.rows.map(({ data }) => JSON.parse(data))
  for (const row of rows.filter((each) => each.appendId === appendId)) {
    const seq = (record.lastSeq += 1)
    const values = [...place, seq, JSON.stringify({ ...row, seq })]
    await client.query('INSERT INTO offstage_rows VALUES ($1, $2, $3, $4)', values)
  }
  await client.query(UPDATE, [...place, JSON.stringify(record), record.lastSeq])
}
