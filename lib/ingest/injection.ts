/**
 * Text that tries to give orders to whoever reads it. Such text may be stored, as a quotation with
 * its origin, and never gets authority.
 */
const ORDERS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all|any|your)\b[^.\n]{0,30}\b(?:instruction|prompt|rule|message|context|guideline)s?\b/iu,
  /\b(?:you are now|act as|pretend to be|from now on,? you)\b/iu,
  /\b(?:system|developer) (?:prompt|message)\b/iu,
  /\b(?:assistant|model|agent|ai)\b[^.\n]{0,20}\b(?:must|should|shall|has to)\b[^.\n]{0,40}\b(?:remember|store|save|record|memori[sz]e)\b/iu,
  /<\/?(?:system|instructions?|prompt)>/iu,
  /(?:忽略|无视|忘记|不要理会)[^。\n]{0,20}(?:之前|以上|先前|前面|所有)[^。\n]{0,20}(?:指令|指示|提示|规则|内容)/u,
  /(?:从现在起|从现在开始)[,,]?你(?:是|必须|要|应该)/u,
  /(?:系统|开发者)提示词/u,
];

export const readsLikeOrders = (text: string): boolean => ORDERS.some((order) => order.test(text));
