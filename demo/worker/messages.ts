// What the page says to its worker, beside what Offstage says.
export const CUT_NETWORK = 'cut-network'
export const MEND_NETWORK = 'mend-network'
