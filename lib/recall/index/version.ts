/** The rules by which texts become terms. A change of them is a new number, and dumps are made anew. */
export const TERMS_VERSION = 1;
