import { createHmac, timingSafeEqual } from 'node:crypto'
import { sessionSecret } from './settings.js'

const COOKIE = /(?:^|; )devices_session=([\w-]+)\.([\w-]+)/
const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Strict'
const WEEK_S = 7 * 24 * 3600

export const endedSessionCookie = `devices_session=; Max-Age=0; ${ATTRIBUTES}`

/** Returns a signed cookie with the user's name. Served over HTTPS, it should be `Secure`, too. */
export function sessionCookie(user) {
  const name = Buffer.from(user).toString('base64url')
  return `devices_session=${name}.${sign(name)}; Max-Age=${WEEK_S}; ${ATTRIBUTES}`
}

/** Returns the name of the user who is logged in, or null. */
export function userOf(request) {
  const [, name, signature] = COOKIE.exec(request.headers.get('cookie') ?? '') ?? []
  return name && isEqual(signature, sign(name)) ? Buffer.from(name, 'base64url').toString() : null
}

function sign(text) {
  return createHmac('sha256', sessionSecret).update(text).digest('base64url')
}

function isEqual(a, b) {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
