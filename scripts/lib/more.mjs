/** Whether all of each matrix is run: `npm run test:more`. Tests read this and not the environment. */
export const MORE = process.env.OFFSTAGE_MORE === '1'
